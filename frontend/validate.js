// Checks .glb files with Khronos' glTF validator: node validate.js FILE... prints one line each, and fails on errors and warnings.
import { readFile } from 'node:fs/promises';
import { validateBytes } from 'gltf-validator';

let faults = 0;
for (const file of process.argv.slice(2)) {
  const { issues } = await validateBytes(new Uint8Array(await readFile(file)), { uri: file });
  const said = issues.messages.filter(({ severity }) => severity < 2);
  faults += said.length;
  console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
  for (const { code, pointer, message } of said.slice(0, 5)) console.log(`  ${code} ${pointer}: ${message}`);
}
process.exitCode = faults ? 1 : 0;
