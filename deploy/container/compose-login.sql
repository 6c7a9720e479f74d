-- The relay's own login, for compose.yaml: made once, and given the password that stands in .env.
\getenv password RELAY_POSTGRES_PASSWORD
select 'create role relay' where not exists (select from pg_roles where rolname = 'relay') \gexec
alter role relay login password :'password';
grant invoice_relay_receiver, invoice_relay_worker to relay;
