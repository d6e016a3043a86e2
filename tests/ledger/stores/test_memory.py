"""The stores in memory keep the ports' contracts."""

import pytest

from ledger.stores.memory import MemoryBlobs, MemoryProjections, MemoryRecords
from tests.ledger.stores.contract import (
    VKEY,
    BlobStoreContract,
    ProjectionStoreContract,
    RecordStoreContract,
)


class TestMemoryRecords(RecordStoreContract):
    @pytest.fixture
    def records(self):
        return MemoryRecords(VKEY)


class TestMemoryBlobs(BlobStoreContract):
    @pytest.fixture
    def blobs(self):
        return MemoryBlobs()


class TestMemoryProjections(ProjectionStoreContract):
    @pytest.fixture
    def projections(self):
        return MemoryProjections()
