import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const COMPRESSED = /\.(js|mjs|css|svg|json|map)$/;
/** A copy must save this part of the file. */
const SAVED_MIN = 0.05;
const BYTES_MIN = 256;

const toBrotli = (data) =>
  promisify(brotliCompress)(data, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    },
  });
const toGzip = (data) => promisify(gzip)(data, { level: 9 });
const COPIES = { ".br": toBrotli, ".gz": toGzip };

/**
 * Writes a compressed copy beside every text of a folder that gets smaller by it, and removes the copies of earlier
 * builds. server/static-files.ts serves them.
 */
export async function precompress(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name, parentPath } of files)
    if (Object.keys(COPIES).some((suffix) => name.endsWith(suffix))) rmSync(join(parentPath, name));
  await Promise.all(
    files
      .filter(({ name }) => COMPRESSED.test(name))
      .map(({ name, parentPath }) => compressFile(join(parentPath, name))),
  );
}

async function compressFile(file) {
  const data = readFileSync(file);
  if (data.length < BYTES_MIN) return;
  for (const [suffix, compress] of Object.entries(COPIES)) {
    const copy = await compress(data);
    if (copy.length <= data.length * (1 - SAVED_MIN)) writeFileSync(file + suffix, copy);
  }
}
