-- Adds to orders where they came from while nobody has paid, and when they gave way to others. Takes no time.

alter table ordre
  -- The network an order came from, for as long as it is unpaid. Null: not known, or no longer needed.
  add column nettverk text,
  -- Since then it is not counted among the unpaid: it is let go at Vipps, unless it turns out to be approved.
  add column viker_at timestamptz;
