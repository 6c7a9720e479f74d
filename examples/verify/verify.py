#!/usr/bin/env python3
"""Checks what invoice-relay signed, with nothing of it: python3 verify.py document FILE KEYS | inclusion FILE |
consistency FIRST SECOND PROOF | evidence ledger/proofs.json [KEYS]. Needs python3-cryptography for signatures. The format: docs/ledger.md."""
import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def unique(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        sys.exit("BROKEN: a name stands twice in an object")
    return dict(pairs)


def read(path):
    """Numbers keep their digits, as strings: so they are signed."""
    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file, object_pairs_hook=unique, parse_int=str, parse_float=str)
        except ValueError as error:
            sys.exit(f"BROKEN: {path} is no JSON: {error}")


def canonical(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def check_signature(document, keys):
    signature = document.get("signature")
    if signature is None:
        sys.exit("UNSIGNED")
    raw = base64.b64decode(signature["publicKey"])
    key_id = hashlib.sha256(bytes.fromhex("302a300506032b6570032100") + raw).hexdigest()[:16]
    known = [key for key in keys["keys"] if key["id"] == key_id == signature["keyId"]]
    if not known:
        sys.exit(f"BROKEN: signed by {key_id}, which is none of the keys given")
    if known[0]["retiredAt"] is not None and signature["signedAt"] > known[0]["retiredAt"]:
        sys.exit("BROKEN: signed after its key was retired")
    signed = {**document, "signature": {name: one for name, one in signature.items() if name != "value"}}
    message = "invoice-relay signed document v1\n" + canonical(signed)
    try:
        Ed25519PublicKey.from_public_bytes(raw).verify(base64.b64decode(signature["value"]), message.encode())
    except InvalidSignature:
        sys.exit("BROKEN: it is not what that key signed")
    return signature["kind"]


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def root_from_inclusion(leaf, index, size, path):
    """RFC 9162, 2.1.3.2."""
    here, last, root = index, size - 1, sha(b"\0", leaf.encode())
    for step in path:
        if last == 0:
            return None
        if here % 2 == 1 or here == last:
            root = sha(b"\1", step, root)
            while here % 2 == 0 and here != 0:
                here, last = here // 2, last // 2
        else:
            root = sha(b"\1", root, step)
        here, last = here // 2, last // 2
    return root if last == 0 and index < size else None


def is_consistent(first, root_of_first, second, root_of_second, path):
    """RFC 9162, 2.1.4.2."""
    if first == second:
        return path == [] and root_of_first == root_of_second
    if first == 0 or first > second or not path:
        return first == 0 and path == []
    if first & (first - 1) == 0:
        path = [root_of_first, *path]
    here, last = first - 1, second - 1
    while here % 2 == 1:
        here, last = here // 2, last // 2
    one = other = path[0]
    for step in path[1:]:
        if last == 0:
            return False
        if here % 2 == 1 or here == last:
            one, other = sha(b"\1", step, one), sha(b"\1", step, other)
            while here % 2 == 0 and here != 0:
                here, last = here // 2, last // 2
        else:
            other = sha(b"\1", other, step)
        here, last = here // 2, last // 2
    return last == 0 and one == root_of_first and other == root_of_second


def check_evidence(proofs, keys):
    roots = {one["source"]: one for one in proofs["roots"]}
    for root in roots.values() if keys else ():
        if check_signature(root, keys) != "root":
            sys.exit("BROKEN: it is signed, but as something else than a root")
    for proof in proofs["leaves"]:
        path, root = [bytes.fromhex(one) for one in proof["path"]], roots[proof["source"]]
        found = root_from_inclusion(proof["leaf"], int(proof["index"]), int(root["size"]), path)
        if found is None or found.hex() != root["root"]:
            sys.exit(f"BROKEN: leaf {proof['index']} is not in the tree {proof['source']}")
    whose = "signed by those keys" if keys else "not checked: give KEYS"
    print(f"INCLUDED: {len(proofs['leaves'])} leaves; {len(proofs['notInTree'])} not in the tree; roots {whose}")


def main(what, *files):
    if what == "document":
        print(f"SIGNED: {check_signature(read(files[0]), read(files[1]))}")
    elif what == "evidence":
        check_evidence(read(files[0]), read(files[1]) if len(files) > 1 else None)
    elif what == "inclusion":
        proof = read(files[0])
        path = [bytes.fromhex(one) for one in proof["path"]]
        root = root_from_inclusion(proof["leaf"], int(proof["index"]), int(proof["size"]), path)
        if root is None or root.hex() != proof["root"]:
            sys.exit("BROKEN: the leaf is not in that tree")
        print(f"INCLUDED: compare with a signed root of size {proof['size']}: {proof['root']}")
    elif what == "consistency":
        first, second, proof = map(read, files)
        if first["source"] != second["source"]:
            sys.exit("BROKEN: they are roots of two sources")
        roots = [(int(one["size"]), bytes.fromhex(one["root"])) for one in (first, second)]
        if not is_consistent(*roots[0], *roots[1], [bytes.fromhex(one) for one in proof["path"]]):
            sys.exit("BROKEN: the second tree does not begin with the first")
        print("CONSISTENT")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["help"]))
