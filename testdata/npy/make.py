#!/usr/bin/python3
"""Makes the files beside it: small matrices as NumPy stores them (1.24.2, Debian's python3-numpy).

The values stand here in plain sight; tests/unit/test_npy.c and test_npz.c have them again.
"""
import io
import sys
import zipfile
import numpy
from numpy.lib import format

m = numpy.array([[0, 1.5, -2], [3, 4, 5.25]])


def save(name, array, version=None):
    with open(f"{name}.npy", "wb") as file:
        format.write_array(file, array, version)


for descr in "<f4 <f8 <f2 >f4 >f8 >f2".split():
    save(descr.translate({ord("<"): "little-", ord(">"): "big-"}), m.astype(descr))
for descr in "<i8 <i4 <i2 |i1 >i2".split():
    save("big-i2" if descr[0] == ">" else descr[1:], numpy.array([[1, -2, 3]], descr))
for descr in "<u8 <u4 <u2 |u1".split():
    save(descr[1:], numpy.array([[1, 2, 200]], descr))
save("b1", numpy.array([[True, False, True]]))
save("fortran", numpy.asfortranarray(m.astype("<f4")))
for rank in range(5):
    save(f"rank-{rank}", numpy.arange(2**rank, dtype="<f4").reshape((2,) * rank))
save("version-2", m.astype("<f4"), (2, 0))
save("version-3", m.astype("<f4"), (3, 0))
save("objects", numpy.array([None]))
save("complex", numpy.array([1j]))
save("words", numpy.array(["the", "cat"]))
save("records", numpy.zeros(1, [("a", "<f4"), ("b", "<f4")]))
save("empty", numpy.zeros((0, 3), "<f4"))

x, wq = m.astype("<f4"), numpy.array([[1, 0], [0, 2], [0.5, 0.5]])
numpy.savez("stored.npz", x=x, wq=wq, heads=numpy.int64(2))
numpy.savez_compressed("deflated.npz", x=x, wq=wq, heads=numpy.int64(2))


class Pipe(io.RawIOBase):
    """What can't be sought in gets its sizes behind the bytes."""

    def __init__(self, name):
        self.file = open(name, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def close(self):
        self.file.close()
        super().close()


# Two matrices among what is not read.
numpy.savez("unread.npz", x=x, words=numpy.array(["the", "cat"]), objects=numpy.array([None]),
            complex=numpy.array([1j]), records=numpy.zeros(1, [("a", "<f4"), ("b", "<f4")]),
            empty=numpy.zeros((0, 3)), axes=numpy.zeros((1,) * 6), large=numpy.array([2**53 + 1]),
            wq=wq)
with zipfile.ZipFile("unread.npz", "a") as others:
    others.writestr(zipfile.ZipInfo("readme.txt"), "hello\n")
    others.writestr(zipfile.ZipInfo("folder/"), "")
    others.writestr(zipfile.ZipInfo("packed.npy"), open("rank-1.npy", "rb").read(),
                    zipfile.ZIP_BZIP2)

with Pipe("piped.npz") as pipe:
    numpy.savez_compressed(pipe, x=x, wq=wq)
sys.exit(numpy.__version__ != "1.24.2")
