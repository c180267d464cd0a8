import type { JournalFolder } from "./journal-folder";
import { DAMAGED, LINE, readRecords } from "./journal-records";
import { parseSettlementRow, type SettlementRow } from "./settlement-row";

/** What a process had still to charge, according to its files. */
export type JournalContent = {
  nodeId: string;
  files: string[];
  owner: string;
  settlements: SettlementRow[];
  /** What requests had cost that were running when the process ended. */
  notes: SettlementRow[];
  damaged: DamagedFile[];
};

/** `places`: where something is unreadable, missing or repeated. `isOnlyEnd`: it ends within a record, as one does that is being written. */
export type DamagedFile = { name: string; places: number; isOnlyEnd: boolean };

/** A process that has written a million files has longer numbers. */
const NAME = /^([0-9a-f-]{36})\.\d{6,}(\.records)?$/;

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

/** Files that were damaged, replayed as far as they could be read, and kept. */
export function listKept(folder: Pick<JournalFolder, "list">): string[] {
  return folder.list().filter((name) => name.endsWith(DAMAGED) && NAME.test(name.slice(0, -DAMAGED.length)));
}

export function readJournal(folder: Pick<JournalFolder, "read">, nodeId: string, files: string[]): JournalContent {
  const latest = new Map<string, { row: SettlementRow; isNote: boolean }>();
  const content: JournalContent = { nodeId, files, owner: "", settlements: [], notes: [], damaged: [] };
  for (const file of files) {
    const { lines, damagedPlaces, isEndOpen } = readRecords(file, folder.read(file));
    const unreadable = lines.filter((line) => !readLine(line, latest, content)).length;
    const places = damagedPlaces + unreadable;
    if (places > 0) content.damaged.push({ name: file, places, isOnlyEnd: isEndOpen && places === 1 });
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

/** False = nobody can tell what the line says. */
function readLine(
  line: string,
  latest: Map<string, { row: SettlementRow; isNote: boolean }>,
  content: JournalContent,
): boolean {
  const [kind, rest] = [line[0], line.slice(1)];
  if (kind === LINE.owner) content.owner = rest;
  else if (kind === LINE.done) for (const id of rest.split(" ")) latest.delete(id);
  else {
    const row = kind === LINE.settlement || kind === LINE.note ? parseSettlementRow(rest) : null;
    if (!row) return false;
    latest.set(row.requestId, { row, isNote: kind === LINE.note });
  }
  return true;
}
