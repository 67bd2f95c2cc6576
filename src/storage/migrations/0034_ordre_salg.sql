-- Keeps who sold and what was said of VAT with each order. Takes no time.
-- Works from: 0011

-- For the receipt and the credit note, whenever they are written: prices and sellers change. Null: ordered by an earlier release.
alter table ordre add column salg jsonb;
