import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import type { BodyShare } from "../../base/body-budget";
import { RelayError } from "../../base/relay-error";
import { foldName } from "../../wire/dialects/common/known-names";
import type { Arriving, BodyDeadline } from "../bodies/body-deadline";
import { isCompressed, tooLarge } from "../bodies/decode-body";
import { ClientDisconnected, tooSlow } from "../bodies/read-body";
import type { Exchange } from "../exchange";
import { Form, type FormEntry } from "./form";
import type { Spool } from "./spool";

export type FormSettings = {
  bytesMax: number;
  deadline: BodyDeadline;
  share: BodyShare;
  spool: Spool;
  /** Receives the model as soon as it is known; what it throws refuses the request. */
  onModel: (model: string) => void;
};

const LIMITS = {
  fieldNameSize: 100,
  fieldSize: 262_144,
  fields: 64,
  files: 32,
  parts: 96,
  headerPairs: 16,
  headerSize: 8_192,
};

export function isForm(contentType: string | undefined): boolean {
  return contentType !== undefined && /^multipart\/form-data\s*(;|$)/i.test(contentType);
}

/**
 * Reads a multipart body: texts into memory, files into the spool. Rejects with 413 as soon as it is too large, 415 when
 * it is compressed, 408 when it arrives too slowly, 429 or 503 when too much is in hand already, and 400 when it is no
 * whole form. The form is closed when the share is released.
 */
export async function readForm(exchange: Exchange, settings: FormSettings): Promise<Form> {
  const { request, response } = exchange;
  const { headers } = request;
  if (Number(headers["content-length"] ?? 0) > settings.bytesMax) throw tooLarge(settings.bytesMax);
  if (isCompressed(headers["content-encoding"])) {
    throw new RelayError("unsupported_encoding", "a multipart body must not be compressed");
  }
  const reading = new FormReading(exchange, settings);
  settings.share.onRelease(() => reading.close());
  if (headers.expect !== undefined) response.writeContinue();
  exchange.others.enter(performance.now());
  try {
    return await reading.read();
  } finally {
    exchange.others.leave(performance.now());
  }
}

type Parser = InstanceType<typeof Busboy>;

/** One form as it arrives. */
class FormReading {
  private readonly exchange: Exchange;
  private readonly settings: FormSettings;
  private readonly parser: Parser;
  private readonly entries: FormEntry[] = [];
  private readonly names = new Set<string>();
  private readonly files: Promise<void>[] = [];
  private reject: (error: unknown) => void = () => {};
  private isOver = false;

  constructor(exchange: Exchange, settings: FormSettings) {
    this.exchange = exchange;
    this.settings = settings;
    const { headers } = exchange.request;
    try {
      const isPartAFile = (_: unknown, contentType: string | undefined, fileName: string | undefined) =>
        fileName !== undefined || contentType === "application/octet-stream";
      this.parser = new Busboy({
        headers: { ...headers, "content-type": headers["content-type"] ?? "" },
        limits: LIMITS,
        isPartAFile,
      });
    } catch {
      throw broken("the multipart body has no boundary");
    }
  }

  read(): Promise<Form> {
    const { exchange, settings, parser } = this;
    const { request } = exchange;
    return new Promise<Form>((resolve, reject) => {
      this.reject = reject;
      const arriving: Arriving = {
        place: -1,
        startedAt: exchange.startedAt,
        bytes: 0,
        onLate: () => this.fail(tooSlow()),
      };
      const onData = (part: Buffer): void => {
        arriving.bytes += part.length;
        if (arriving.bytes > settings.bytesMax) this.fail(tooLarge(settings.bytesMax));
      };
      const leave = (): void => {
        settings.deadline.forget(arriving);
        request.off("data", onData);
        exchange.whenGone(null);
      };
      this.onOver = leave;
      settings.deadline.watch(arriving);
      exchange.whenGone(() => this.fail(new ClientDisconnected()));
      parser.on("field", (name, text, isNameCut, isCut) =>
        this.guard(() => this.addText(name, text, isNameCut || isCut)),
      );
      parser.on("file", (name, stream, fileName, _, mimeType) => this.addFile(name, stream, fileName, mimeType));
      for (const limit of ["fieldsLimit", "filesLimit", "partsLimit"] as const) {
        parser.on(limit, () => this.fail(broken("the multipart body has too many parts")));
      }
      parser.on("error", () => this.fail(broken("the multipart body is broken")));
      parser.on("finish", () => {
        Promise.all(this.files).then(() => {
          if (this.isOver) return;
          this.end();
          resolve(new Form(withPictureNames(this.entries)));
        }, reject);
      });
      request.on("data", onData);
      request.pipe(parser);
    });
  }

  private onOver: () => void = () => {};

  private guard(step: () => void): void {
    try {
      if (!this.isOver) step();
    } catch (error) {
      this.fail(error);
    }
  }

  private addText(name: string, text: string, isCut: boolean): void {
    const { share, onModel } = this.settings;
    if (isCut) throw broken(`the field ${name.slice(0, 50)} is too long`);
    this.addName(name);
    share.add(Buffer.byteLength(text));
    this.entries.push({ name, text });
    if (name === "model") onModel(text);
  }

  private addFile(name: string, stream: BusboyFileStream, fileName: string, mimeType: string): void {
    this.guard(() => {
      if (PICTURES.test(name)) this.addPictureName(name);
      else this.addName(name);
      const { spool, share } = this.settings;
      const file = spool.open(share);
      this.entries.push({ name, fileName: fileName ?? "", type: mimeType, file });
      const writing = (async () => {
        for await (const part of stream) await file.write(part as Buffer);
      })();
      this.files.push(writing);
      writing.catch((error: unknown) => this.fail(error instanceof RelayError ? error : broken("the file is broken")));
    });
    if (this.isOver) stream.resume();
  }

  /** Clients send several pictures under one name, or number them; every one of them counts, so no reader can take another. */
  private addPictureName(name: string): void {
    const isOther = (entry: FormEntry): boolean => !isPicture(entry) && PICTURES.test(foldName(entry.name));
    if (this.entries.some(isOther)) throw twice(name);
    this.names.add(PICTURE_LIST);
  }

  /** Readers of forms disagree about which of two fields of the same name counts. */
  private addName(name: string): void {
    if (!name) throw broken("a part of the multipart body has no name");
    const folded = foldName(name);
    // Every file of an edit goes on under one name.
    if (PICTURES.test(folded) && this.names.has(PICTURE_LIST)) throw twice(name);
    const scalar = folded.replace(/\[\]$/, "");
    const isList = folded !== scalar;
    const isTaken = isList ? this.names.has(scalar) : this.names.has(scalar) || this.names.has(`${scalar}[]`);
    if (isTaken) throw twice(name);
    this.names.add(folded);
  }

  private end(): void {
    this.isOver = true;
    this.onOver();
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.end();
    const { request } = this.exchange;
    request.unpipe(this.parser);
    this.parser.removeAllListeners();
    this.parser.on("error", () => {});
    this.parser.destroy();
    request.resume();
    this.close();
    this.reject(error);
  }

  close(): void {
    new Form(this.entries).close();
  }
}

/** The files of an edit, under every name that clients give them. */
const PICTURES = /^images?(\[\d*\])?$/;
const PICTURE_LIST = "image[]";
const isPicture = (entry: FormEntry): boolean => "file" in entry && PICTURES.test(entry.name);

/** As OpenAI's API has them: one is `image`, several are `image[]`. */
function withPictureNames(entries: readonly FormEntry[]): FormEntry[] {
  const isOne = entries.filter(isPicture).length === 1;
  return entries.map((entry) => {
    if (!isPicture(entry) || (isOne && entry.name === PICTURE_LIST)) return entry;
    return { ...entry, name: isOne ? "image" : PICTURE_LIST };
  });
}

function twice(name: string): RelayError {
  return broken(`the field ${name} is there more than once`, name);
}

function broken(message: string, param?: string): RelayError {
  return new RelayError("invalid_form", message, { ...(param === undefined ? {} : { param }) });
}
