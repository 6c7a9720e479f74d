// Generated from the migrated database. Anew: npx vitest run --project relay test/platform/database -u

/** What the migrations make: the types of its columns are read from it. */
export const serviceSchema = {
  api_key: `
name text not null
type text not null
sha256 bytea not null
  constraint api_key_pkey PRIMARY KEY (name)
  constraint api_key_sha256_key UNIQUE (sha256)
  constraint api_key_type_check CHECK ((type = ANY (ARRAY['Live'::text, 'Test'::text])))
`,
  bank: `
number integer not null
id uuid not null
name text not null
code text not null
logo text not null
  constraint bank_id_key UNIQUE (id)
  constraint bank_pkey PRIMARY KEY (number)
`,
  collection: `
id uuid not null
created_at timestamp with time zone not null
amount numeric(20,2)
name text not null
description text
invoice_expiration_period text not null
payment_channels text[] not null
settlement_frequency text not null
service_fee_billing text not null
status text not null
category_id uuid
category_name text
biller_name text not null
biller_address text
biller_email text
fee json not null
  constraint collection_amount_check CHECK ((amount > (0)::numeric))
  constraint collection_pkey PRIMARY KEY (id)
  constraint collection_service_fee_billing_check CHECK ((service_fee_billing = ANY (ARRAY['Payer'::text, 'Merchant'::text])))
  constraint collection_settlement_frequency_check CHECK ((settlement_frequency = ANY (ARRAY['Daily'::text, 'Instant'::text])))
  constraint collection_status_check CHECK ((status = ANY (ARRAY['Active'::text, 'Pending'::text, 'Disabled'::text, 'Suspended'::text, 'Blocked'::text])))
`,
  collection_account: `
collection_id uuid not null
position integer not null
linked_account_id uuid not null
percentage numeric(5,2) not null
  constraint collection_account_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE
  constraint collection_account_linked_account_id_fkey FOREIGN KEY (linked_account_id) REFERENCES linked_account(id)
  constraint collection_account_pkey PRIMARY KEY (collection_id, "position")
`,
  delivery: `
invoice_id uuid not null
copy integer not null
webhook_id uuid not null
notification_id uuid not null
queued_at timestamp with time zone not null
due_at timestamp with time zone not null
attempt integer not null default 0
state text not null
url text not null
answer_status integer
error text
  constraint delivery_invoice_id_fkey FOREIGN KEY (invoice_id) REFERENCES invoice(id) ON DELETE CASCADE
  constraint delivery_pkey PRIMARY KEY (invoice_id, copy)
  constraint delivery_state_check CHECK ((state = ANY (ARRAY['due'::text, 'delivered'::text, 'given_up'::text])))
  index delivery_due ON collection_service.delivery USING btree (due_at) WHERE (state = 'due'::text)
`,
  invoice: `
id uuid not null
collection_id uuid not null
created_at timestamp with time zone not null
modified_at timestamp with time zone not null
expires_at timestamp with time zone not null
paid_at timestamp with time zone
readable_at timestamp with time zone
amount numeric(20,2) not null
service_charge numeric(20,2) not null
vat numeric(20,2) not null
total_amount numeric(20,2) not null
settleable_amount numeric(20,2) not null
status text not null
type text not null
service_fee_payer text not null
settlement_frequency text not null
payment_method text
title text not null
payer_name text not null
payer_email text not null
payer_phone_number text
callback_url text
biller_metadata json not null
beneficiaries json
  constraint invoice_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES collection(id)
  constraint invoice_paid_check CHECK (((status = 'Paid'::text) = ((paid_at IS NOT NULL) AND (payment_method IS NOT NULL))))
  constraint invoice_pkey PRIMARY KEY (id)
  constraint invoice_status_check CHECK ((status = ANY (ARRAY['Unpaid'::text, 'Paid'::text, 'Invalidated'::text])))
  constraint invoice_type_check CHECK ((type = ANY (ARRAY['Live'::text, 'Test'::text])))
  index invoice_list ON collection_service.invoice USING btree (collection_id, created_at DESC, id DESC)
`,
  linked_account: `
id uuid not null
created_at timestamp with time zone not null default now()
bank_number integer not null
is_primary boolean not null
account_name text not null
account_number text not null
status text not null default 'Pending'::text
  constraint linked_account_bank_number_fkey FOREIGN KEY (bank_number) REFERENCES bank(number)
  constraint linked_account_number_once UNIQUE (account_number)
  constraint linked_account_pkey PRIMARY KEY (id)
  constraint linked_account_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'Approved'::text])))
  index linked_account_one_primary UNIQUE ON collection_service.linked_account USING btree ((true)) WHERE is_primary
`,
} as const;
