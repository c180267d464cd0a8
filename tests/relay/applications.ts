import { CHANNEL_TYPE } from "@/lib/relay/upstreams/rows/channel-type-ids";
import type { FakeApplicationFormat } from "@/lib/testing/fake-application";

export type Application = FakeApplicationFormat & {
  type: number;
  other: string;
  /** What the fixture "text" reports; null = nothing. */
  usage: { prompt: number; completion: number } | null;
  text: string;
};

const dify: Application = {
  format: "dify",
  type: CHANNEL_TYPE.dify,
  other: "",
  path: "/v1/chat-messages",
  usage: { prompt: 12, completion: 20 },
  text: "Hello from Bern: ¡olé! 🏔",
  refusal: (status, message) => ({ status, body: { code: `code_${status}`, message, status } }),
  upload: {
    path: "/v1/files/upload",
    answer: (id) => ({ status: 201, body: { id, name: "file", size: 1, extension: "png", created_at: 1 } }),
  },
};

export const APPLICATIONS: readonly Application[] = [dify];
