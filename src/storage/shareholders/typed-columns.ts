/** What stands in a column that has become too small, at the beginning of a larger one. */
export function movedTo<Column extends Int32Array | Float64Array>(column: Column, larger: Column): Column {
  larger.set(column)
  return larger
}
