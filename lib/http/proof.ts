import type { ProofAlong } from "@/lib/auth/step-up-commands";

/** Where a client without dialogs puts its proof: headers, or fields of a JSON body. */
export const PROOF_FIELDS = {
  password: { header: "X-Confirm-Password", field: "confirm_password" },
  code: { header: "X-Confirm-Code", field: "confirm_code" },
} as const;

const LENGTH_MAX = 256;

/** The password or code that a call carries along. Text that cannot be one is left aside. */
export function readProof(request: Request, body: Record<string, unknown> | undefined): ProofAlong {
  const read = ({ header, field }: (typeof PROOF_FIELDS)[keyof typeof PROOF_FIELDS]) => {
    const sent = request.headers.get(header);
    const given = sent === null ? body?.[field] : fromHeader(sent);
    return typeof given === "string" && given !== "" && given.length <= LENGTH_MAX ? given : undefined;
  };
  return { password: read(PROOF_FIELDS.password), code: read(PROOF_FIELDS.code)?.trim() };
}

/** Header values arrive as one character a byte, while clients send UTF-8. */
function fromHeader(value: string): string {
  const decoded = Buffer.from(value, "latin1").toString("utf8");
  return decoded.includes("\uFFFD") ? value : decoded;
}
