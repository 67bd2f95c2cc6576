-- Remembers when a hidden person was shown again, so that a journal beside the database is never mistaken. Takes no time.
-- Works from: 0011

alter table skjult_person add column vist_at timestamptz;
