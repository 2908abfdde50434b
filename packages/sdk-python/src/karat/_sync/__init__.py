# Generated from _async/__init__.py by scripts/generate.py: do not edit.
