"""An HTTP endpoint behind an SNS subscription that books each paid invoice once, in its own Postgres.

    TOPIC_ARN=arn:aws:sns:… DATABASE_URL=postgres://… PORT=3000 python3 consumer.py

Needs Python 3.9, `cryptography` and `psycopg` 3. The topic signs with SHA-256 (SignatureVersion 2); leave raw
message delivery off: without the envelope there is no signature. For a local SNS set SNS_ORIGIN to its
address.
"""

import base64
import json
import os
import re
import sys
import threading
from datetime import datetime, timezone
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import HTTPRedirectHandler, build_opener

import psycopg
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.x509 import load_pem_x509_certificate

TOPIC_ARN = os.environ["TOPIC_ARN"]
DATABASE_URL = os.environ["DATABASE_URL"]
REGION = TOPIC_ARN.split(":")[3]
SNS_ORIGIN = os.environ.get("SNS_ORIGIN", f"https://sns.{REGION}.amazonaws.com")
MAX_AGE_SECONDS = 3600
MAX_BYTES = 1024 * 1024

SIGNED_FIELDS = {
    "Notification": "Message MessageId Subject Timestamp TopicArn Type".split(),
    "SubscriptionConfirmation": "Message MessageId SubscribeURL Timestamp Token TopicArn Type".split(),
}


class Refused(Exception):
    """Not an event of ours, now or later: answered 400. Whatever else goes wrong is answered 500, and comes
    again."""


class NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def fetch(url):
    with build_opener(NoRedirects).open(url, timeout=5) as answer:
        return answer.read(65536)


# --- Signature ---

certificates = {}
fetching = threading.BoundedSemaphore(16)
CERTIFICATE_PATH = re.compile(r"/SimpleNotificationService-[0-9a-f]{32}\.pem")


def certificate(url):
    """Fetched once. Forged messages that name ever other ones cost a fetch each, at most 16 at once."""
    if url not in certificates:
        with fetching:
            certificates[url] = load_pem_x509_certificate(fetch(url))
    return certificates[url]


def at_sns(url):
    return url.startswith(SNS_ORIGIN + "/")


def verify(message):
    """Only what SNS signed lately, for our topic. Nothing is fetched before everything else holds."""
    if message["TopicArn"] != TOPIC_ARN:
        raise Refused("another topic")
    signed_at = datetime.fromisoformat(message["Timestamp"].replace("Z", "+00:00"))
    if not -300 <= (datetime.now(timezone.utc) - signed_at).total_seconds() <= MAX_AGE_SECONDS:
        raise Refused("signed too long ago, or in the future")
    if message["SignatureVersion"] != "2":
        # A setting to mend, so that nothing is lost meanwhile: SNS delivers it again.
        raise RuntimeError("the topic signs with SHA-1: set its attribute SignatureVersion to 2")
    url = message["SigningCertURL"]
    if not at_sns(url) or not CERTIFICATE_PATH.fullmatch(url[len(SNS_ORIGIN) :]):
        raise Refused("the certificate is not at SNS")
    fields = [name for name in SIGNED_FIELDS[message["Type"]] if message.get(name) is not None]
    text = "".join(f"{name}\n{message[name]}\n" for name in fields).encode()
    found = certificate(url)
    if not found.not_valid_before <= datetime.utcnow() <= found.not_valid_after:
        raise Refused("the certificate is not valid now")
    try:
        found.public_key().verify(base64.b64decode(message["Signature"]), text, PKCS1v15(), SHA256())
    except InvalidSignature:
        raise Refused("forged") from None


# --- Parse ---


def parse(message):
    event = json.loads(message["Message"])
    if event["type"] != "invoice.paid" or event["dataschema"] != "urn:invoice-relay:schema:invoice.paid:v1":
        raise Refused("an event of another type or version")
    data = event["data"]
    # Money is text, so that no digit is lost: Decimal, never float.
    return event["id"], data["invoiceId"], Decimal(data["amount"]), (data["payer"] or {}).get("name")


# --- Once only ---

TABLES = """
    create table if not exists handled_event
        (event_id uuid primary key, handled_at timestamptz not null default clock_timestamp());
    create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text);
"""


def handle(event_id, invoice_id, amount, payer):
    """The event's id and what the handler writes commit together: both are there, or neither. A copy that
    comes at the same time waits at the insert."""
    with psycopg.connect(DATABASE_URL) as connection:
        claim = "insert into handled_event (event_id) values (%s) on conflict do nothing"
        if connection.execute(claim, [event_id]).rowcount == 0:
            return "duplicate"
        connection.execute("insert into booking values (%s, %s, %s)", [invoice_id, amount, payer])
        return "handled"


# --- HTTP ---


def receive(body):
    try:
        message = json.loads(body)
        verify(message)
        if message["Type"] == "SubscriptionConfirmation":
            if not at_sns(message["SubscribeURL"]):
                raise Refused("the address to confirm at is not at SNS")
            fetch(message["SubscribeURL"])
            return 204
        event = parse(message)
    except (Refused, KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        print("refused:", error, file=sys.stderr, flush=True)
        return 400
    print(handle(*event), event[1], event[2], flush=True)
    return 204


class Endpoint(BaseHTTPRequestHandler):
    timeout = 20

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        try:
            status = receive(self.rfile.read(length)) if 0 <= length <= MAX_BYTES else 413
        except Exception as error:  # 500: SNS delivers it again.
            print(error, file=sys.stderr, flush=True)
            status = 500
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


with psycopg.connect(DATABASE_URL) as first:
    first.execute(TABLES)
server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "3000"))), Endpoint)
print("listening on", server.server_port, flush=True)
server.serve_forever()
