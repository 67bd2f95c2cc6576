import { html } from 'ghtml'
import type { Language } from '#src/core/language.ts'
import { plainLine } from '#src/core/plain-line.ts'
import type { Content } from '../compose.ts'
import type { Block, MailSide } from './blocks.ts'
import type { Letterhead } from './letterhead.ts'
import { contactAddress } from './wording.ts'

/**
 * Writes a mail: Norwegian first, English below it, as text and as HTML. Whatever a company, or somebody with a key, calls itself: it
 * is a part of the line it stands in, and neither looks like one of ours nor turns one of ours round (P151).
 */
export function write(
  mail: { subject: string; norsk: MailSide; english: MailSide },
  head: Letterhead,
): Content {
  const subject = plainLine(mail.subject.slice(0, SUBJECT_LETTERS_MAX))
  const [norsk, english] = [mail.norsk, mail.english].map(inLines) as [MailSide, MailSide]
  return {
    subject,
    text: writeText([norsk, english], head),
    html: writeHtml(subject, { norsk, english }, head),
  }
}

/** More is not shown by any program. */
const SUBJECT_LETTERS_MAX = 150

function inLines(side: MailSide): MailSide {
  return { ...side, title: plainLine(side.title), blocks: side.blocks.map(inItsLine) }
}

function inItsLine(block: Block): Block {
  if (block.kind === 'facts')
    return { ...block, rows: block.rows.map(([name, value]) => [plainLine(name), plainLine(value)] as const) }
  return block.kind === 'words' || block.kind === 'note' ? { ...block, text: plainLine(block.text) } : block
}

function writeText(sides: readonly MailSide[], head: Letterhead): string {
  const parts = sides.map(({ title, blocks, sender }) =>
    [title.toUpperCase(), ...blocks.map(blockText), sender].join('\n\n'),
  )
  return `${parts.join(`\n\n${'-'.repeat(60)}\n\n`)}\n\n${head.name}\n${head.publicUrl}\n${head.contact}\n`
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'words':
    case 'note':
    case 'code':
      return block.text
    case 'link':
      return block.url
    case 'button':
      return `${block.label}:\n${block.url}`
    case 'facts': {
      const width = Math.max(...block.rows.map(([name]) => name.length)) + 1
      return block.rows.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}`).join('\n')
    }
  }
}

/**
 * The styles stand at each element, since many readers drop a style sheet; the sheet has only what they can not say: what
 * changes in the dark. Tables for the frame, since Outlook knows no other width. Nothing is fetched from anywhere.
 */
function writeHtml(
  subject: string,
  { norsk, english }: { norsk: MailSide; english: MailSide },
  head: Letterhead,
): string {
  return html`<!doctype html>
<html lang="nb">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
<style>
@media (prefers-color-scheme: dark) {
  .page { background: #14181d !important; }
  .sheet { background: #1f252c !important; border-color: #36404a !important; }
  .ink, .ink a { color: #f1f4f6 !important; }
  .quiet, .quiet a { color: #b4bec8 !important; }
  .line { border-color: #36404a !important; }
  .code { background: #14181d !important; border-color: #36404a !important; color: #f1f4f6 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f3f5f7">
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f5f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;background:#ffffff;border:1px solid #dfe4e9;border-radius:8px;text-align:left">
<tr><td class="quiet" style="!${FONT};padding:24px 28px 0;font-size:15px;color:#4b5764">${head.name}</td></tr>
!${sideHtml(norsk, 'nb')}
<tr><td style="padding:0 28px"><div class="line" style="border-top:1px solid #dfe4e9"></div></td></tr>
!${sideHtml(english, 'en')}
</table>
<p class="quiet" style="!${FONT};margin:16px 0 0;font-size:14px;line-height:1.6;color:#4b5764"><a href="${head.publicUrl}" style="color:#4b5764">${head.publicUrl}</a> · <a href="${contactAddress(head.contact)}" style="color:#4b5764">${head.contact}</a></p>
</td></tr>
</table>
</body>
</html>
`
}

const FONT = "font-family:Inter,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

function sideHtml({ title, blocks, sender }: MailSide, language: Language): string {
  return html`<tr><td lang="${language}" class="ink" style="!${FONT};padding:16px 28px 28px;font-size:16px;line-height:1.6;color:#1b2733">
<h1 style="margin:0 0 16px;font-size:24px;line-height:1.3;font-weight:600">${title}</h1>
!${blocks.map(blockHtml)}
<p style="margin:0">${sender}</p>
</td></tr>`
}

function blockHtml(block: Block): string {
  switch (block.kind) {
    case 'words':
      return html`<p style="margin:0 0 16px">${block.text}</p>
`
    case 'note':
      return html`<p class="quiet" style="margin:0 0 16px;font-size:15px;color:#4b5764">${block.text}</p>
`
    case 'code':
      return html`<p class="code" style="!${MONO};margin:0 0 16px;padding:14px 16px;background:#f3f5f7;border:1px solid #dfe4e9;border-radius:6px;color:#1b2733;font-size:15px;line-height:1.5;word-break:break-word;overflow-wrap:anywhere"><code style="!${MONO}">${block.text}</code></p>
`
    case 'link':
      return html`<p style="margin:0 0 16px;overflow-wrap:anywhere"><a href="${block.url}" style="color:#0b5ea8">${block.url}</a></p>
`
    case 'button':
      return html`<p style="margin:0 0 12px"><a href="${block.url}" style="display:inline-block;padding:13px 22px;background:#0b5ea8;border-radius:6px;color:#ffffff;font-weight:600;text-decoration:none">${block.label}</a></p>
<p class="quiet" style="margin:0 0 16px;font-size:14px;color:#4b5764;word-break:break-all;overflow-wrap:anywhere">${block.fallback} <a href="${block.url}" style="color:#4b5764">${block.url}</a></p>
`
    case 'facts':
      return html`<table style="width:100%;margin:0 0 16px;border-collapse:collapse;font-size:16px;line-height:1.5">!${block.rows.map(rowHtml)}</table>
`
  }
}

function rowHtml([name, value]: readonly [name: string, value: string]): string {
  return html`<tr><th scope="row" class="quiet line" style="!${FONT};padding:8px 16px 8px 0;border-bottom:1px solid #dfe4e9;width:34%;text-align:left;vertical-align:top;font-weight:400;color:#4b5764">${name}</th><td class="ink line" style="!${FONT};padding:8px 0;border-bottom:1px solid #dfe4e9;text-align:left;vertical-align:top;color:#1b2733;overflow-wrap:anywhere">${value}</td></tr>`
}
