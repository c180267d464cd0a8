/** What a caller sent or got, as it is kept: redacted texts. */
export type CapturedBody = {
  /** JSON without its secrets; null = it was no JSON, was too long, or was not kept. */
  json: unknown;
  /** What is kept where it is no JSON; "" = nothing. */
  text: string;
  /** Texts of a stream, put together, by where they stood in its events. */
  parts: { path: string; text: string }[];
  /** The rest was too long. */
  isCut: boolean;
  /** Bytes that are no text are not kept. */
  isBinary: boolean;
};

export type Capture = { request: CapturedBody; answer: CapturedBody };

/** A capture in a list. */
export type CaptureRow = {
  id: number;
  requestId: string;
  tokenId: number;
  tokenName: string | null;
  createdAt: number;
  expiresAt: number;
  path: string;
  modelName: string;
  /** 0 = the caller left, or the answer was cut. */
  status: number;
  requestBytes: number;
  answerBytes: number;
};

export type CaptureView = CaptureRow & Capture & { userId: number };

/** In seconds. */
export const CAPTURE_SPANS = [3_600, 86_400, 604_800] as const;
