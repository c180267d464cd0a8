import { crc32 } from "node:zlib";
import { FRAME_HEADER_BYTES, LINE } from "./journal";
import type { JournalFolder } from "./journal-folder";
import { parseSettlementRow, type SettlementRow } from "./settlement-row";

/** What a process had still to charge, according to its files. */
export type JournalContent = {
  nodeId: string;
  files: string[];
  owner: string;
  settlements: SettlementRow[];
  /** What requests had cost that were running when the process ended. */
  notes: SettlementRow[];
  /** Frames and lines that could not be read. */
  damaged: number;
};

/** A process that has written a million files has longer numbers. */
const NAME = /^([0-9a-f-]{36})\.\d{6,}$/;

/** The journals in the folder, by process, oldest file first. */
export function listJournals(folder: JournalFolder): Map<string, string[]> {
  const byNode = new Map<string, string[]>();
  for (const name of folder.list()) {
    const nodeId = NAME.exec(name)?.[1];
    if (nodeId !== undefined) byNode.set(nodeId, [...(byNode.get(nodeId) ?? []), name]);
  }
  for (const files of byNode.values()) files.sort((one, other) => one.length - other.length);
  return byNode;
}

export function readJournal(folder: Pick<JournalFolder, "read">, nodeId: string, files: string[]): JournalContent {
  const latest = new Map<string, { row: SettlementRow; isNote: boolean }>();
  const content: JournalContent = { nodeId, files, owner: "", settlements: [], notes: [], damaged: 0 };
  for (const file of files) {
    for (const line of linesOf(folder.read(file), content)) readLine(line, latest, content);
  }
  for (const { row, isNote } of latest.values()) (isNote ? content.notes : content.settlements).push(row);
  return content;
}

/** Null = its owner or a sibling has just removed a file. */
export function readIfThere(folder: JournalFolder, nodeId: string, files: string[]): JournalContent | null {
  return ifThere(() => readJournal(folder, nodeId, files));
}

/** Who writes these files, by their beginnings: those of a running process are long. "" = none says it. Null as above. */
export function readOwner(folder: JournalFolder, nodeId: string, files: string[]): string | null {
  return ifThere(() => readJournal({ read: (name) => folder.readStart(name) }, nodeId, files).owner);
}

/** Null = a file that `read` needs is not there any more. */
export function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function readLine(
  line: string,
  latest: Map<string, { row: SettlementRow; isNote: boolean }>,
  content: JournalContent,
): void {
  const [kind, rest] = [line[0], line.slice(1)];
  if (kind === LINE.owner) content.owner = rest;
  else if (kind === LINE.done) for (const id of rest.split(" ")) latest.delete(id);
  else {
    const row = kind === LINE.settlement || kind === LINE.note ? parseSettlementRow(rest) : null;
    if (row) latest.set(row.requestId, { row, isNote: kind === LINE.note });
    else content.damaged += 1;
  }
}

/**
 * The lines of all whole frames. A frame with a wrong checksum is left out; one that the file ends in is the last write
 * before a power failure.
 */
function linesOf(bytes: Buffer, content: JournalContent): string[] {
  const lines: string[] = [];
  let at = 0;
  while (at + FRAME_HEADER_BYTES <= bytes.length) {
    const start = at + FRAME_HEADER_BYTES;
    const end = start + bytes.readUInt32LE(at);
    if (end > bytes.length || end === start) break;
    const body = bytes.subarray(start, end);
    if (crc32(body) === bytes.readUInt32LE(at + 4)) lines.push(...body.toString("utf8").split("\n"));
    else content.damaged += 1;
    at = end;
  }
  if (at < bytes.length) content.damaged += 1;
  return lines;
}
