import { createHash } from "node:crypto";
import type { SpooledFile } from "./spool";

export type FormText = { name: string; text: string };
export type FormFile = { name: string; fileName: string; type: string; file: SpooledFile };
export type FormEntry = FormText | FormFile;

/** JSON as it came, or a form whose files are in the spool. */
export type ReceivedBody = Buffer | Form;

/** A multipart body as it was received: texts in memory, files spooled. No two texts have the same name unless it ends in []. */
export class Form {
  readonly entries: readonly FormEntry[];

  constructor(entries: readonly FormEntry[]) {
    this.entries = entries;
  }

  /** Undefined = there is none of that name. */
  text(name: string): string | undefined {
    return this.texts(name)[0];
  }

  texts(name: string): string[] {
    return this.entries.flatMap((entry) => ("text" in entry && entry.name === name ? [entry.text] : []));
  }

  files(): FormFile[] {
    return this.entries.filter((entry) => "file" in entry);
  }

  /** With other texts: undefined removes the field, and what is not there yet comes first. */
  withTexts(texts: Readonly<Record<string, string | undefined>>): Form {
    const left = new Map(Object.entries(texts));
    const entries = this.entries.flatMap((entry): FormEntry[] => {
      if (!("text" in entry) || !Object.hasOwn(texts, entry.name)) return [entry];
      left.delete(entry.name);
      const text = texts[entry.name];
      return text === undefined ? [] : [{ ...entry, text }];
    });
    const added = [...left].flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]));
    return new Form([...added, ...entries]);
  }

  mapTexts(change: (text: string, name: string) => string): Form {
    return new Form(
      this.entries.map((entry) => ("text" in entry ? { ...entry, text: change(entry.text, entry.name) } : entry)),
    );
  }

  /** The same for the same fields and files in the same order, whatever the boundary was. */
  async digest(): Promise<string> {
    const hash = createHash("sha256");
    for (const entry of this.entries) {
      if ("text" in entry) hash.update(JSON.stringify(["text", entry.name, entry.text]));
      else {
        const { name, fileName, type, file } = entry;
        hash.update(JSON.stringify(["file", name, fileName, type, file.length]));
        for await (const part of file.open()) hash.update(part as Buffer);
      }
    }
    return hash.digest("hex");
  }

  close(): void {
    for (const { file } of this.files()) file.close();
  }
}
