#!/usr/bin/env python3
"""Checks what invoice-relay signed, with nothing of it: python3 verify.py document FILE KEYS | inclusion FILE |
consistency FIRST SECOND PROOF | evidence ledger/proofs.json [KEYS]. Needs python3-cryptography for signatures. The format: docs/ledger.md."""
import base64
import hashlib
import json
import re
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key


class Digits(str):
    """A number, as its digits stood."""


def fail(why):
    raise ValueError(why)


def unique(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        fail("a name stands twice in an object")
    return dict(pairs)


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_int=Digits, parse_float=Digits, parse_constant=fail)


def read(path):
    with open(path, encoding="utf-8-sig") as file:
        return parse(file.read())


def canonical(value):
    if isinstance(value, Digits):
        return str(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in sorted(value)) + "}"
    return json.dumps(value, ensure_ascii=False)


def check_signature(document, keys):
    """Returns its kind."""
    signature = dict(document.get("signature") or fail("UNSIGNED"))
    value, key = signature.pop("value"), None
    for one in keys["keys"]:
        key = load_pem_public_key(one["pem"].encode())
        spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        if hashlib.sha256(spki).hexdigest()[:16] == signature["keyId"]:
            break
    else:
        fail(f"signed by {signature['keyId']}, which is none of the keys given")
    if one["retiredAt"] is not None and signature["signedAt"] > one["retiredAt"]:
        fail("signed after its key was retired")
    message = "invoice-relay signed document v1\n" + canonical({**document, "signature": signature})
    raw = base64.b64decode(value)
    try:
        key.verify(raw if base64.b64encode(raw).decode() == value else b"", message.encode())
    except InvalidSignature:
        fail("it is not what that key signed")
    return signature["kind"]


def count(value):
    return int(value) if re.fullmatch("0|[1-9][0-9]{0,14}", value) else fail(f"{value} is no count")


def to_bytes(value):
    return bytes.fromhex(value) if re.fullmatch("[0-9a-f]{64}", value) else fail(f"{value} is no hash")


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def go_up(here, last, start, path):
    """RFC 9162, 2.1.3.2 and 2.1.4.2: both go up the same way. The first result is the root of what ends at `here`."""
    one = other = start
    for step in path:
        if last == 0:
            return None, None
        if here % 2 == 1 or here == last:
            one, other = sha(b"\1", step, one), sha(b"\1", step, other)
            while here % 2 == 0 and here != 0:
                here, last = here // 2, last // 2
        else:
            other = sha(b"\1", other, step)
        here, last = here // 2, last // 2
    return (one, other) if last == 0 else (None, None)


def check_inclusion(proof):
    index, size, path = count(proof["index"]), count(proof["size"]), [to_bytes(one) for one in proof["path"]]
    _, found = go_up(index, size - 1, sha(b"\0", proof["leaf"].encode()), path) if index < size else (None, None)
    if found != to_bytes(proof["root"]):
        fail(f"leaf {index} is not in that tree")


def is_consistent(m, older, n, newer, path):
    if m == n or m == 0:
        return path == [] and older == (newer if m == n else sha())
    here, last = m - 1, n - 1
    while here % 2 == 1:
        here, last = here // 2, last // 2
    # A tree of a power of two leaves is one subtree of the second, whose root the path leaves out.
    path = [older, *path] if here == 0 else path
    return m < n and path != [] and go_up(here, last, path[0], path[1:]) == (older, newer)


def check_evidence(proofs, keys):
    invoice, roots, events, kinds = proofs["invoiceId"], {}, set(), []
    for root in proofs["roots"]:
        if root["source"] in roots:
            fail(f"two roots of {root['source']}")
        if keys and check_signature(root, keys) != "root":
            fail("it is signed, but as something else than a root")
        roots[root["source"]] = root
    for proof in proofs["leaves"]:
        root, leaf = roots[proof["source"]], parse(proof["leaf"])
        check_inclusion(proof)
        if (root["size"], root["root"], leaf["@source"]) != (proof["size"], proof["root"], proof["source"]):
            fail(f"leaf {proof['index']} is of another tree than {proof['source']}")
        kind = leaf["@kind"]
        named = leaf[{"answer": "id", "callback": "invoice_ids", "acceptance": "event_id"}.get(kind, "invoice_id")]
        if invoice not in named.split(" ") and not (kind == "acceptance" and named in events):
            fail(f"leaf {proof['index']} is not of invoice {invoice}")
        if kind == "event":
            events.add(leaf["id"])
        kinds.append(kind)
    whose = "roots signed by those keys" if keys else "roots not checked: give KEYS"
    yield f"INCLUDED: {len(kinds)} leaves of invoice {invoice}: {', '.join(kinds)}; {whose}"
    for one in proofs["notInTree"]:
        yield f"NOT COVERED: {one['kind']} {one['key']}: {one['why']}"
    if proofs.get("isWhole") is not True:
        yield "NOT COVERED: what the file has no room for"


def check(what="", *files):
    """Returns lines; raises where it is not as it should be."""
    first, second, proof = [*map(read, files), None, None, None][:3]
    if what == "document":
        return [f"SIGNED: {check_signature(first, second)}"]
    if what == "evidence":
        return list(check_evidence(first, second))
    if what == "inclusion":
        check_inclusion(first)
        return [f"INCLUDED: compare with a signed root of size {first['size']}: {first['root']}"]
    if what != "consistency":
        fail(__doc__)
    if first["source"] != second["source"]:
        fail("they are roots of two sources")
    sizes = [part for one in (first, second) for part in (count(one["size"]), to_bytes(one["root"]))]
    if not is_consistent(*sizes, [to_bytes(one) for one in proof["path"]]):
        fail("the second tree does not begin with the first")
    return ["CONSISTENT"]


if __name__ == "__main__":
    try:
        print("\n".join(check(*sys.argv[1:])))
    except (ValueError, LookupError, TypeError, AttributeError, OSError, RecursionError) as error:
        sys.exit(f"BROKEN: {error}")
