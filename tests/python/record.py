"""record.py WHEEL: each file of it is in its RECORD, with its size and its hash."""
import base64
import csv
import hashlib
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    names = wheel.namelist()
    record = list(csv.reader(wheel.read(names[-1]).decode().splitlines()))
    assert names[-1].endswith(".dist-info/RECORD"), names
    assert [row[0] for row in record] == names, record
    assert record.pop()[1:] == ["", ""], "RECORD has a hash of its own"
    for name, digest, size in record:
        data = wheel.read(name)
        hashed = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        assert (digest, int(size)) == ("sha256=" + hashed, len(data)), name
