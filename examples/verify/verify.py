#!/usr/bin/env python3
"""Checks a certificate that invoice-relay signed, with nothing of it but docs/certificates.md; needs python3-cryptography.
verify.py document FILE KEYS"""
import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_public_key

def fail(why):
    raise ValueError(why)

def same(found, spelled):
    return found if str(found) == spelled else fail(f"{spelled} should be spelled {found}")

def count(digits):
    return same(int(digits), digits)

def members(pairs):
    return dict(pairs) if len(dict(pairs)) == len(pairs) else fail("a name stands twice in an object")

def parse(text):
    numbers = {"parse_int": count, "parse_float": lambda digits: same(float(digits), digits), "parse_constant": fail}
    return json.loads(text, object_pairs_hook=members, **numbers)

def read(path):
    with open(path, "rb") as file:
        content = file.read()
    return parse(content.decode("utf-16" if content[:1] == b"\xff" else "utf-8-sig"))

def check_signature(document, keys):
    """Returns what it was signed as."""
    signature = dict(document.get("signature") or fail("UNSIGNED"))
    value, key_id, at = signature.pop("value"), signature["keyId"], signature["signedAt"]
    key = next((key for key in keys["keys"] if key["id"] == key_id), None) or fail(f"key {key_id} is not in KEYS")
    if key["retiredAt"] is not None and at > key["retiredAt"]:
        fail("it was signed after its key was retired")
    canonical = {"sort_keys": True, "ensure_ascii": False, "separators": (",", ":")}
    message = "invoice-relay signed document v1\n" + json.dumps({**document, "signature": signature}, **canonical)
    raw = base64.b64decode(value)
    same(base64.b64encode(raw).decode(), value)
    try:
        load_pem_public_key(key["pem"].encode()).verify(raw, message.encode())
    except InvalidSignature:
        fail("it is not what that key signed")
    return signature["kind"]

def check(what="", *files):
    """Returns what there is to say; raises where something is not as it should be."""
    given = [read(path) for path in files]
    if (what, len(given)) != ("document", 2):
        fail(__doc__)
    return f"SIGNED: {check_signature(*given)} of {given[0]['source']}, at {given[0]['signature']['signedAt']}"

if __name__ == "__main__":
    try:
        print(check(*sys.argv[1:]))
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        sys.exit(f"BROKEN: {error}")
