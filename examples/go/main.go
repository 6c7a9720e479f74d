// Books each paid invoice once, in its own Postgres, from an SQS queue subscribed with raw message delivery.
//
//	QUEUE_URL=https://sqs.… AWS_REGION=eu-west-1 DATABASE_URL=postgres://… go run .
//
// Nothing has to be verified: only the topic may write to the queue. What fails comes back, then goes to the DLQ.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log"
	"os"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	_ "github.com/lib/pq"
)

const tables = `create table if not exists handled_event (event_id uuid primary key, handled_at timestamptz default now());
	create table if not exists booking (invoice_id uuid primary key, amount numeric not null, payer text)`

// The event's id and what the handler writes commit together. A copy waits at the insert, and books nothing.
const book = `with claimed as (insert into handled_event values ($1) on conflict do nothing returning event_id)
	insert into booking select $2, $3, $4 from claimed`
type invoicePaid struct {
	ID, Type, DataSchema string
	Data                 struct {
		InvoiceID, Amount string // Money is text, so that no digit is lost: never a float.
		Payer             struct{ Name *string }
	}
}

func handle(db *sql.DB, body string) error {
	var event invoicePaid
	err := json.Unmarshal([]byte(body), &event)
	if err != nil || event.Type != "invoice.paid" || event.DataSchema != "urn:invoice-relay:schema:invoice.paid:v1" {
		return errors.Join(errors.New("no invoice.paid of version 1"), err)
	}
	done, err := db.Exec(book, event.ID, event.Data.InvoiceID, event.Data.Amount, event.Data.Payer.Name)
	if err == nil {
		rows, _ := done.RowsAffected()
		log.Println([]string{"duplicate", "handled"}[rows], event.Data.InvoiceID, event.Data.Amount)
	}
	return err
}

func must[Value any](value Value, err error) Value {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	ctx, queue := context.Background(), os.Getenv("QUEUE_URL")
	client, db := sqs.NewFromConfig(must(config.LoadDefaultConfig(ctx))), must(sql.Open("postgres", os.Getenv("DATABASE_URL")))
	must(db.Exec(tables))
	asked := sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 20}
	for {
		for _, message := range must(client.ReceiveMessage(ctx, &asked)).Messages {
			if err := handle(db, *message.Body); err != nil {
				log.Println("not handled:", err)
				continue
			}
			must(client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &queue, ReceiptHandle: message.ReceiptHandle}))
		}
	}
}
