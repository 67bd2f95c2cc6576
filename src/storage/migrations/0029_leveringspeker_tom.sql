-- Leaves the place in the log to whoever goes through it first: a new database has no rows of ours, and one can be read into it.
-- Works from: 0011

delete from leveringspeker where not exists (select 1 from endepunkt);
