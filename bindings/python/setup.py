"""The library that was built beside the package comes along; else the system's is taken."""
import os
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
SONAME = "libtessera.so.0"


class WithLibrary(build_py):
    def run(self):
        super().run()
        built = os.environ.get("TESSERA_LIBRARY") or os.path.join(HERE, "..", "..", "build", SONAME)
        if os.path.exists(built):
            folder = os.path.join(self.build_lib, "tessera")
            os.makedirs(folder, exist_ok=True)
            shutil.copyfile(built, os.path.join(folder, SONAME))


setup(cmdclass={"build_py": WithLibrary})
