import type { RowWriter } from "./write-rows";

export type ExportFile = { contentType: string; body: ReadableStream<Uint8Array> };

/**
 * Streams batches of rows as text. The next batch is read only when the client has taken the last one, and none after
 * it disconnects. The first batch is read before this returns, so that a refusal still gets an error message. A later
 * error aborts the stream, so that a partial file is not mistaken for a complete one.
 */
export async function streamRows<Row>(
  batches: AsyncGenerator<Row[], void>,
  { contentType, head, write }: RowWriter<Row>,
): Promise<ExportFile> {
  let next = await batches.next();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => (head === "" ? undefined : controller.enqueue(encoder.encode(head))),
      async pull(controller) {
        if (next.done) return controller.close();
        const { value } = next;
        next = await batches.next();
        controller.enqueue(encoder.encode(write(value)));
      },
      async cancel() {
        await batches.return();
      },
    },
    { highWaterMark: 1 },
  );
  return { contentType, body };
}
