"""Books each paid invoice once, in its own Postgres, from an SQS queue subscribed with raw message delivery.

    pip install boto3 'psycopg[binary]'
    QUEUE_URL=https://sqs.… AWS_REGION=eu-west-1 DATABASE_URL=postgres://… python3 consumer.py

Nothing has to be verified: the queue's policy lets nobody but the topic write to it. A message is deleted after
the commit; one that fails comes back after the visibility timeout, and ends in the dead-letter queue.
"""

import json
import os
import sys
from decimal import Decimal

import boto3
import psycopg

QUEUE_URL = os.environ["QUEUE_URL"]
sqs = boto3.client("sqs", region_name=os.environ["AWS_REGION"])
database = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
database.execute("""
    create table if not exists handled_event
        (event_id uuid primary key, handled_at timestamptz not null default clock_timestamp());
    create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text);
""")


def parse(body):
    event = json.loads(body)
    if event["type"] != "invoice.paid" or event["dataschema"] != "urn:invoice-relay:schema:invoice.paid:v1":
        raise ValueError("an event of another type or version")
    data = event["data"]
    # Money is text, so that no digit is lost: Decimal, never float.
    return event["id"], data["invoiceId"], Decimal(data["amount"]), (data["payer"] or {}).get("name")


# The event's id and what the handler writes commit together. A copy waits at the insert, and books nothing.
BOOK = """
    with claimed as (insert into handled_event (event_id) values (%s) on conflict do nothing returning event_id)
    insert into booking select %s::uuid, %s, %s from claimed
"""


while True:
    received = sqs.receive_message(QueueUrl=QUEUE_URL, MaxNumberOfMessages=10, WaitTimeSeconds=20)
    for message in received.get("Messages", []):
        try:
            event = parse(message["Body"])
            booked = database.execute(BOOK, event).rowcount
            print("handled" if booked else "duplicate", event[1], event[2], flush=True)
            sqs.delete_message(QueueUrl=QUEUE_URL, ReceiptHandle=message["ReceiptHandle"])
        except psycopg.OperationalError:
            raise  # The connection is gone: whatever supervises this program starts it again.
        except Exception as error:
            print("not handled:", repr(error), file=sys.stderr, flush=True)
