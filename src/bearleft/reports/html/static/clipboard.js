// Copying tables to the clipboard as CSV, Markdown and LaTeX. A table is a list of rows of strings and numbers, the
// first row is the header; a cell {bold: 'text'} is bold where the format allows it.

import { el } from './dom.js';
import { toast } from './tooltip.js';

/** Return buttons that copy what the functions in `formats` ({CSV: () => text}) return. */
export function copyButtons(what, formats) {
  const buttons = Object.entries(formats).map(([name, make]) =>
    el('button', { type: 'button', class: 'button', 'aria-label': `Copy ${what} as ${name}`, onclick: () => copyText(make(), name) }, name));
  return el('div', { class: 'tools' }, el('span', { class: 'soft small', 'aria-hidden': 'true' }, 'Copy'), buttons);
}

/** Copy text to the clipboard; where that is not allowed, show it in a dialog. */
export async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${name} copied`);
  } catch {
    if (copyWithCommand(text)) toast(`${name} copied`);
    else showTextDialog(text, name);
  }
}

function copyWithCommand(text) {
  const area = el('textarea', { class: 'hidden-text', 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  let copied = false;
  try {
    copied = document.execCommand('copy');
  } catch {
    copied = false;
  }
  area.remove();
  return copied;
}

function showTextDialog(text, name) {
  const area = el('textarea', { class: 'copy-out', readonly: true, 'aria-label': `${name} to copy` });
  area.value = text;
  const box = el('dialog', { class: 'wide', 'aria-label': `${name} to copy` }, el('h2', {}, `Copy this ${name}`), area,
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: () => box.close() }, 'Close')));
  box.addEventListener('close', () => box.remove());
  document.body.append(box);
  box.showModal();
  area.select();
}

// Strings have a method `bold`, so check for an object first.
function isBold(cell) {
  return typeof cell === 'object' && cell !== null;
}

function plainCell(cell) {
  return isBold(cell) ? cell.bold : cell;
}

function csvCell(cell) {
  const value = plainCell(cell);
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  // Spreadsheets would evaluate a text that begins like a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Return a table as comma-separated values. */
export function csv(table) {
  return `${table.map((row) => row.map(csvCell).join(',')).join('\n')}\n`;
}

function markdownCell(cell) {
  const text = String(plainCell(cell) ?? '').replace(/[\\|`*_<>]|\](?=\()/g, '\\$&').replace(/\s+/g, ' ');
  return isBold(cell) ? `**${text}**` : text;
}

/** Return a table in Markdown. */
export function markdown(table) {
  const [first, ...others] = table.map((row) => `| ${row.map(markdownCell).join(' | ')} |`);
  const rule = `|${table[0].map((_, i) => (i ? ' ---: ' : ' --- ')).join('|')}|`;
  return `${[first, rule, ...others].join('\n')}\n`;
}

const LATEX_ESCAPES = { '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}', '<': '\\textless{}', '>': '\\textgreater{}' };

function latexCell(cell) {
  const text = String(plainCell(cell) ?? '').replace(/[\\~^<>{}$&#_%]/g, (sign) => LATEX_ESCAPES[sign] ?? `\\${sign}`);
  const tidy = text.replace(/\s+/g, ' ').replace(/−/g, '$-$');
  return isBold(cell) ? `\\textbf{${tidy}}` : tidy;
}

/** Return a LaTeX tabular in the style of booktabs. */
export function latex(table) {
  const [first, ...others] = table.map((row) => `  ${row.map(latexCell).join(' & ')} \\\\`);
  const columns = table[0].map((_, i) => (i ? 'r' : 'l')).join('');
  const lines = ['% \\usepackage{booktabs}', `\\begin{tabular}{${columns}}`, '  \\toprule', first, '  \\midrule', ...others];
  return [...lines, '  \\bottomrule', '\\end{tabular}', ''].join('\n');
}
