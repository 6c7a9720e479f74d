#!/usr/bin/env python3
"""Checks what invoice-relay signed, with nothing of it but docs/ledger.md; needs python3-cryptography.
verify.py document FILE KEYS: a certificate or a root
verify.py consistency KEPT PRINTED: a root that was kept, and what `ledger root --since ITS_SIZE --json` prints
verify.py evidence ledger/proofs.json [KEYS]"""
import base64
import json
import sys
from hashlib import sha256

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

def hash_in(digits):
    found = bytes.fromhex(digits)
    return found if len(found) == 32 and same(found.hex(), digits) else fail(f"{digits} is no hash")

def node(left, right):
    return sha256(b"\1" + left + right).digest()

def left_of(size):
    """The leaves of the left subtree: the largest power of two below the size."""
    return 2 ** ((size - 1).bit_length() - 1)

def root_of(leaf, index, size, path):
    """RFC 9162, 2.1.3, from the root down: the path ends with the hash of the side that the leaf is not on."""
    if size <= 1:
        return leaf if (index, size, path) == (0, 1, []) else fail("a path does not fit its index")
    left, rest, other = left_of(size), path[:-1], path[-1]
    if index < left:
        return node(root_of(leaf, index, left, rest), other)
    return node(other, root_of(leaf, index - left, size - left, rest))

def roots_of(first, second, kept, path):
    """RFC 9162, 2.1.4, likewise: the roots of both sizes. The path leaves out `kept`, if that is a subtree."""
    if first == second:
        [known] = [kept, *path] if kept else path
        return known, known
    left, rest, other = left_of(second), path[:-1], path[-1]
    if first <= left:
        older, newer = roots_of(first, left, kept, rest)
        return older, node(newer, other)
    older, newer = roots_of(first - left, second - left, None, rest)
    return node(other, older), node(other, newer)

def check_consistency(kept, printed):
    later = next((root for root in printed if root["source"] == kept["source"]), None) or fail("no root of that source")
    first, second, path = count(kept["size"]), count(later["size"]), list(map(hash_in, later["path"]))
    roots = hash_in(kept["root"]), hash_in(later["root"])
    if not 0 < first <= second:
        fail("the later tree is smaller than the kept one")
    if roots_of(first, second, roots[0], path) != roots:
        fail("the later tree does not begin with the kept one")
    return f"CONSISTENT: the first {first} of {second} leaves are those of the kept root"

def check_evidence(proofs, keys=None):
    ids, kinds, roots = {str(proofs["invoiceId"])}, [], {root["source"]: root for root in proofs["roots"]}
    if len(roots) < len(proofs["roots"]):
        fail("two roots of one source")
    if keys is not None and {check_signature(root, keys) for root in roots.values()} - {"root"}:
        fail("it is signed, but not as a root")
    for proof in proofs["leaves"]:
        leaf, index, path = parse(proof["leaf"]), count(proof["index"]), list(map(hash_in, proof["path"]))
        root, hashed = roots[leaf["@source"]], sha256(b"\0" + proof["leaf"].encode()).digest()
        if root_of(hashed, index, count(root["size"]), path) != hash_in(root["root"]):
            fail(f"leaf {index} is not in that tree")
        named = [leaf.get(name) for name in ("id", "invoice_id", "event_id")] + leaf.get("invoice_ids", "").split()
        if ids.isdisjoint(named):
            fail(f"leaf {index} is not of invoice {proofs['invoiceId']}")
        kinds.append(leaf["@kind"])
        if leaf["@kind"] == "event":
            ids.add(leaf["id"])
    whose = "roots not checked: give KEYS" if keys is None else "roots signed by those keys"
    lines = [f"INCLUDED: {len(kinds)} leaves of invoice {proofs['invoiceId']}: {', '.join(kinds)}; {whose}"]
    lines += [f"NOT COVERED: {row['kind']} {row['key']}: {row['why']}" for row in proofs["notInTree"]]
    return "\n".join(lines if proofs.get("isWhole") is True else [*lines, "NOT COVERED: what the file has no room for"])

def check(what="", *files):
    """Returns what there is to say; raises where something is not as it should be."""
    given = [read(path) for path in files]
    if (what, len(given)) == ("document", 2):
        return f"SIGNED: {check_signature(*given)} of {given[0]['source']}, at {given[0]['signature']['signedAt']}"
    if (what, len(given)) == ("consistency", 2):
        return check_consistency(*given)
    return check_evidence(*given) if what == "evidence" and given else fail(__doc__)

if __name__ == "__main__":
    try:
        print(check(*sys.argv[1:]))
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        sys.exit(f"BROKEN: {error}")
