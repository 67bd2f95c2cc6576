-- Finds what Vipps has told of an order. Takes a second for each million of messages.
-- Works from: 0011

-- Whoever deletes an order has PostgreSQL look for its messages: without this through all there are, once for each order.
create index betalingshendelse_ordre on betalingshendelse (ordre);
