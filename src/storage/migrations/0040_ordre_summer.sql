-- Keeps with each order what was taken of it and given back. Takes no time.
-- Works from: 0011

-- As Vipps last said. Null: not taken yet, or taken by an earlier release and not read back since.
alter table ordre
  add column trukket_ore integer,
  add column refundert_ore integer;
