import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import { companyTable, figureColumns } from '../many/table.ts'
import type { HandoutOperation } from './operations.ts'

/** A Power Query function that gives Excel and Power BI a table of up to 500 companies, from the call that answers with CSV. */
export function powerQuery(operations: readonly HandoutOperation[], url: string): string {
  const many = operations.find(({ id }) => id === 'slaaOppMange')
  if (many === undefined) throw new Error('the document has no call for many companies')
  const figures = figureColumns.map((name) => `{"${name}", type number}`).join(', ')
  return [
    '// Excel: Data > Hent data > Fra andre kilder > Tom spørring > Avansert redigering. Velg anonym tilgang.',
    '// Excel: Data > Get Data > From Other Sources > Blank Query > Advanced Editor. Choose anonymous access.',
    `// Kolonner / columns: ${companyTable.columns.join(', ')}`,
    '(organisasjonsnumre as list) as table =>',
    'let',
    `    Nokkel = "${PUBLIC_TEST_KEY}",`,
    `    Svar = Web.Contents("${url}", [`,
    `        RelativePath = "${many.path.slice(1)}",`,
    '        Headers = [Authorization = "Bearer " & Nokkel, Accept = "text/csv", #"Content-Type" = "application/json"],',
    '        Content = Json.FromValue(organisasjonsnumre),',
    '        Timeout = #duration(0, 0, 10, 0)',
    '    ]),',
    '    Linjer = Csv.Document(Svar, [Delimiter = ";", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),',
    '    Tabell = Table.PromoteHeaders(Linjer),',
    `    Typer = Table.TransformColumnTypes(Tabell, {${figures}}, "nb-NO")`,
    'in',
    '    Typer',
    '',
  ].join('\n')
}
