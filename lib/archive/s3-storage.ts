import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { hasOutgoingProxy, outgoingAgent } from "@/lib/egress";
import type { BucketPlace } from "./config";
import { ArchiveError, type ArchiveStorage } from "./storage";

/** S3 takes at most 10,000 parts of at least 5 MB. An archive has at most half a million rows. */
const PART_BYTES = 8_388_608;
/** Without a word on a connection for this long, the try has failed; the SDK tries three times. */
const SILENCE_MS = 60_000;

const CONNECT_MS = 10_000;

/** The SDK does not know the proxies of the environment. */
function proxyAgents() {
  if (!hasOutgoingProxy()) return {};
  return { httpAgent: outgoingAgent("http:", CONNECT_MS), httpsAgent: outgoingAgent("https:", CONNECT_MS) };
}

type Part = { ETag: string | undefined; PartNumber: number };

/** Objects in a bucket of Amazon's S3 or of a server that speaks its protocol. */
export class S3Storage implements ArchiveStorage {
  private readonly client: S3Client;
  private readonly place: BucketPlace;

  constructor(place: BucketPlace) {
    this.place = place;
    this.client = new S3Client({
      forcePathStyle: place.hasPathStyle,
      // Older servers do not know the checksums that newer clients add. Every file is read back anyway.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      requestHandler: { requestTimeout: SILENCE_MS, connectionTimeout: CONNECT_MS, ...proxyAgents() },
      ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
      ...(place.region === null ? {} : { region: place.region }),
    });
  }

  /** A bucket is there or it is not; nothing can be in its stead. */
  async prepare(): Promise<void> {}

  async put(name: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    const parts = inParts(content)[Symbol.asyncIterator]();
    const first = await parts.next();
    const second = first.done ? first : await parts.next();
    const head = first.done ? new Uint8Array() : first.value;
    if (second.done) {
      await this.explained(() => this.client.send(new PutObjectCommand({ ...this.object(name), Body: head })));
      return head.length;
    }
    return this.putParts(name, head, second.value, parts);
  }

  private async putParts(
    name: string,
    first: Uint8Array,
    second: Uint8Array,
    rest: AsyncIterator<Uint8Array>,
  ): Promise<number> {
    const { UploadId } = await this.explained(() =>
      this.client.send(new CreateMultipartUploadCommand(this.object(name))),
    );
    const upload = { ...this.object(name), UploadId };
    try {
      const done: Part[] = [];
      let size = 0;
      for (let part: Uint8Array | null = first; part !== null; ) {
        const PartNumber = done.length + 1;
        const Body = part;
        const { ETag } = await this.explained(() =>
          this.client.send(new UploadPartCommand({ ...upload, PartNumber, Body })),
        );
        done.push({ ETag, PartNumber });
        size += part.length;
        part = PartNumber === 1 ? second : await nextOf(rest);
      }
      await this.explained(() =>
        this.client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: done } })),
      );
      return size;
    } catch (error) {
      // Parts that are left behind cost money. If the server is gone, its own rules for such parts have to remove them.
      await this.client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
      throw error;
    }
  }

  async *get(name: string): AsyncGenerator<Uint8Array> {
    const { Body } = await this.explained(() => this.client.send(new GetObjectCommand(this.object(name))), name);
    try {
      for await (const part of Body as AsyncIterable<Uint8Array>) yield part;
    } catch (error) {
      throw this.explain(error, name);
    }
  }

  async sizeOf(name: string): Promise<number | null> {
    try {
      const { ContentLength } = await this.client.send(new HeadObjectCommand(this.object(name)));
      return ContentLength ?? 0;
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return null;
      throw this.explain(error, name);
    }
  }

  async readRange(name: string, start: number, end: number): Promise<Uint8Array> {
    if (end <= start) return new Uint8Array();
    const bytes = await this.explained(async () => {
      const request = new GetObjectCommand({ ...this.object(name), Range: `bytes=${start}-${end - 1}` });
      const { Body } = await this.client.send(request);
      return Body?.transformToByteArray();
    }, name);
    if (bytes?.length !== end - start) throw new ArchiveError(`${name} is shorter than it says.`);
    return bytes;
  }

  async *list(): AsyncGenerator<string> {
    const { bucket: Bucket, prefix: Prefix } = this.place;
    let ContinuationToken: string | undefined;
    do {
      const request = new ListObjectsV2Command({ Bucket, Prefix, ...(ContinuationToken ? { ContinuationToken } : {}) });
      const page = await this.explained(() => this.client.send(request));
      for (const { Key = "" } of page.Contents ?? []) if (Key.startsWith(Prefix)) yield Key.slice(Prefix.length);
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (ContinuationToken);
  }

  async remove(name: string): Promise<void> {
    await this.explained(() => this.client.send(new DeleteObjectCommand(this.object(name))));
  }

  close(): void {
    this.client.destroy();
  }

  private object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.place.bucket, Key: `${this.place.prefix}${name}` };
  }

  private async explained<Result>(run: () => Promise<Result>, name?: string): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      throw this.explain(error, name);
    }
  }

  private explain(error: unknown, name?: string): ArchiveError {
    if (error instanceof ArchiveError) return error;
    const { name: kind, message } = error as Error;
    const what = name === undefined ? "" : ` (${name})`;
    return new ArchiveError(
      `The bucket ${this.place.bucket} does not answer as it should${what}: ${kind}: ${message}`,
      {
        cause: error,
      },
    );
  }
}

/** The same bytes in pieces of PART_BYTES; the last may be shorter. */
async function* inParts(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    held.push(piece);
    size += piece.length;
    if (size < PART_BYTES) continue;
    const bytes = Buffer.concat(held);
    let at = 0;
    for (; bytes.length - at >= PART_BYTES; at += PART_BYTES) yield bytes.subarray(at, at + PART_BYTES);
    held = [bytes.subarray(at)];
    size = bytes.length - at;
  }
  if (size > 0) yield Buffer.concat(held);
}

async function nextOf(parts: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  const { done, value } = await parts.next();
  return done ? null : value;
}
