import type { RowWriter } from "./write-rows";

export type ExportFile = { contentType: string; body: ReadableStream<Uint8Array> };

/**
 * Batches of rows as a stream of text. The next batch is read only when the receiver has taken the last one, and none
 * once it is gone. The first is read before this returns: what is refused is still refused with a message. What fails
 * later breaks the stream off, so that nobody takes a part for the whole.
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
