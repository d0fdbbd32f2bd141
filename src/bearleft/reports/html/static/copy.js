import { el } from './dom.js';
import { toast } from './tip.js';

// Tables for papers and spreadsheets. A table here is a list of rows of strings and numbers, the first row its header;
// {bold: 'text'} is set bold where the format can.

/** Buttons that copy what the functions of `formats` ({CSV: () => text}) give. */
export function copyButtons(what, formats) {
  const buttons = Object.entries(formats).map(([name, make]) =>
    el('button', { type: 'button', class: 'button', 'aria-label': `Copy ${what} as ${name}`, onclick: () => copyText(make(), name) }, name));
  return el('div', { class: 'tools' }, el('span', { class: 'soft small', 'aria-hidden': 'true' }, 'Copy'), buttons);
}

/** To the clipboard, or into a box to copy from where there is none. */
export async function copyText(text, name) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${name} copied`);
  } catch {
    if (copiedOldWay(text)) toast(`${name} copied`);
    else offerText(text, name);
  }
}

function copiedOldWay(text) {
  const area = el('textarea', { class: 'hidden-text', 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  let done = false;
  try {
    done = document.execCommand('copy');
  } catch {
    done = false;
  }
  area.remove();
  return done;
}

function offerText(text, name) {
  const area = el('textarea', { class: 'copy-out', readonly: true, 'aria-label': `${name} to copy` });
  area.value = text;
  const box = el('dialog', { class: 'wide', 'aria-label': `${name} to copy` }, el('h2', {}, `Copy this ${name}`), area,
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'button', onclick: () => box.close() }, 'Close')));
  box.addEventListener('close', () => box.remove());
  document.body.append(box);
  box.showModal();
  area.select();
}

// Strings have a method `bold` of their own, so one asks for the object first.
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
  // A spreadsheet would run a name that begins like a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Comma-separated values. */
export function csv(table) {
  return `${table.map((row) => row.map(csvCell).join(',')).join('\n')}\n`;
}

function markdownCell(cell) {
  const text = String(plainCell(cell) ?? '').replace(/[\\|`*_<>]|\](?=\()/g, '\\$&').replace(/\s+/g, ' ');
  return isBold(cell) ? `**${text}**` : text;
}

/** A Markdown table. */
export function markdown(table) {
  const [first, ...others] = table.map((row) => `| ${row.map(markdownCell).join(' | ')} |`);
  const rule = `|${table[0].map((_, i) => (i ? ' ---: ' : ' --- ')).join('|')}|`;
  return `${[first, rule, ...others].join('\n')}\n`;
}

const LATEX = { '\\': '\\textbackslash{}', '~': '\\textasciitilde{}', '^': '\\textasciicircum{}', '<': '\\textless{}', '>': '\\textgreater{}' };

function latexCell(cell) {
  const text = String(plainCell(cell) ?? '').replace(/[\\~^<>{}$&#_%]/g, (sign) => LATEX[sign] ?? `\\${sign}`);
  const tidy = text.replace(/\s+/g, ' ').replace(/−/g, '$-$');
  return isBold(cell) ? `\\textbf{${tidy}}` : tidy;
}

/** A LaTeX tabular in the manner of booktabs. */
export function latex(table) {
  const [first, ...others] = table.map((row) => `  ${row.map(latexCell).join(' & ')} \\\\`);
  const columns = table[0].map((_, i) => (i ? 'r' : 'l')).join('');
  const lines = ['% \\usepackage{booktabs}', `\\begin{tabular}{${columns}}`, '  \\toprule', first, '  \\midrule', ...others];
  return [...lines, '  \\bottomrule', '\\end{tabular}', ''].join('\n');
}
