import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

// Uses only Node's own modules: this runs before any package is installed.

/**
 * Reads a file of variables as editors and shells on any system leave it: with a byte order mark, in UTF-16, with CRLF or CR, `export`
 * and quotes. What is set already stays. Throws when the file is there and cannot be read.
 */
export function loadEnvFile(path, env = process.env) {
  const text = readText(path);
  if (text === null) return;
  for (const [name, value] of Object.entries(parseEnv(text))) {
    if (!Object.hasOwn(env, name)) env[name] = value;
  }
}

function readText(path) {
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw new Error(`${path} cannot be read (${error.code}). Correct its rights, or remove it.`);
  }
  return decode(bytes)
    .replace(/^\uFEFF/, "")
    .replaceAll(/\r\n?/g, "\n");
}

function decode(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return bytes.toString("utf8");
}
