-- Creates the tables of our registrations for messages from Vipps. Empty afterwards; takes no time.

-- Vipps shows a registration's secret once. It can do nothing but sign messages, each of which is read back.
create table vipps_webhook (
  id text primary key,
  url text not null,
  hemmelighet text not null,
  registrert_at timestamptz not null,
  -- Another one took its place; what it signed before is still on its way for a week.
  erstattet_at timestamptz
);

-- When the registrations are to be looked at again, and for which address that was last done. One row.
create table vipps_webhook_sjekk (
  eneste boolean primary key default true check (eneste),
  url text not null,
  neste_at timestamptz not null
);
