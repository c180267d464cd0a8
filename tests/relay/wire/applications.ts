import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
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

const coze: Application = {
  format: "coze",
  type: CHANNEL_TYPE.coze,
  other: "7379462189365198898",
  path: "/v3/chat",
  usage: { prompt: 12, completion: 20 },
  text: "Hello from Bern: ¡olé! 🏔",
  // Most come with status 200.
  refusal: (status, msg) => ({ status: 200, body: { code: COZE_CODES[status] ?? 5000, msg, detail: { logid: "1" } } }),
  upload: {
    path: "/v1/files/upload",
    answer: (id) => ({
      status: 200,
      body: { code: 0, msg: "", data: { id, bytes: 1, file_name: "file", created_at: 1 } },
    }),
  },
};

const COZE_CODES: Readonly<Record<number, number>> = { 400: 4000, 401: 4100, 404: 4200, 429: 4013, 500: 5000 };

const library: Application = {
  format: "ai-proxy-library",
  type: CHANNEL_TYPE.aiProxyLibrary,
  other: "123456",
  path: "/api/library/ask",
  usage: null,
  text: "Hello from Bern: ¡olé! 🏔\n\n1. [The book of weirs](https://weir.example/book)\n2. [Rivers](https://weir.example/rivers)\n",
  refusal: (status, message) => ({ status, body: { success: false, errCode: status, message } }),
};

export const APPLICATIONS: readonly Application[] = [dify, coze, library];
