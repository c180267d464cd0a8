import type { ArchiveFormat } from "./config";
import { ArchiveError } from "./storage";

/** usage_logs/2026/11/20261124T000000Z-20261125T000000Z-0123456789ab: a stretch of the log in UTC, and a number by chance. */
const BASE = /^usage_logs\/\d{4}\/\d{2}\/\d{8}T\d{6}Z-\d{8}T\d{6}Z-[0-9a-f]{12}$/;
const MANIFEST_END = ".manifest.json";
const DATA_END: Record<ArchiveFormat, string> = { jsonl: ".jsonl.gz", parquet: ".parquet" };

/** Seconds [from, until). */
export function archiveName(from: number, until: number, chance: string): string {
  const [year, month] = new Date(from * 1000).toISOString().split("-");
  return checked(`usage_logs/${year}/${month}/${stamp(from)}-${stamp(until)}-${chance}`);
}

export const manifestName = (name: string): string => `${checked(name)}${MANIFEST_END}`;
export const dataName = (name: string, format: ArchiveFormat): string => `${checked(name)}${DATA_END[format]}`;

/** The archive that a file is the manifest of; null = it is none. */
export function archiveOf(file: string): string | null {
  if (!file.endsWith(MANIFEST_END)) return null;
  const name = file.slice(0, -MANIFEST_END.length);
  return BASE.test(name) ? name : null;
}

/** Whether archives have such a name. A name from outside must not lead elsewhere. */
export function isArchiveName(name: string): boolean {
  return BASE.test(name);
}

function checked(name: string): string {
  if (!isArchiveName(name)) throw new ArchiveError(`${JSON.stringify(name)} is not the name of an archive.`);
  return name;
}

const stamp = (seconds: number): string =>
  new Date(seconds * 1000)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replace(/[-:]/g, "");
