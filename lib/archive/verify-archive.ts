import { createHash } from "node:crypto";
import { assertRows } from "./assert-rows";
import { type Manifest, readManifest } from "./manifest";
import { dataName } from "./names";
import { readRows } from "./read-rows";
import { ArchiveError, type ArchiveStorage } from "./storage";
import { isSameSum, RowTally } from "./tally";

/**
 * Reads a whole archive: manifest, size and checksum of the file, and every row. `known`: the checksum of the manifest, as
 * it was noted when it was written. Throws ArchiveError with what is wrong.
 */
export async function verifyArchive(storage: ArchiveStorage, name: string, known?: string): Promise<Manifest> {
  const { manifest, sha256 } = await readManifest(storage, name);
  if (known !== undefined && known !== sha256) {
    throw new ArchiveError(`The manifest of ${name} is not the one that was written.`);
  }
  const file = dataName(name, manifest.format);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const part of storage.get(file)) {
    hash.update(part);
    bytes += part.length;
    if (bytes > manifest.bytes) throw new ArchiveError(`${file} has more than ${manifest.bytes} bytes.`);
  }
  if (bytes !== manifest.bytes) throw new ArchiveError(`${file} has ${bytes} bytes instead of ${manifest.bytes}.`);
  if (hash.digest("hex") !== manifest.sha256) throw new ArchiveError(`The checksum of ${file} is wrong.`);
  const tally = new RowTally(manifest);
  for await (const rows of readRows(storage, manifest)) {
    assertRows(rows, manifest.columns);
    tally.count(rows);
    if (tally.sum().rows > manifest.rows) throw new ArchiveError(`${file} has more than ${manifest.rows} rows.`);
  }
  const found = tally.sum();
  if (!isSameSum(found, manifest))
    throw new ArchiveError(`${file} has ${found.rows} rows instead of ${manifest.rows}.`);
  return manifest;
}
