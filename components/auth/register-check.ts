export type RegisterDraft = { username: string; password: string; password2: string; email: string; code: string };
export type RegisterErrors = Partial<Record<keyof RegisterDraft, string>>;

type Problem = {
  field: keyof RegisterDraft;
  /** Key under "register" in the messages. */
  message: "passwordTooShort" | "passwordMismatch" | "usernameMissing" | "emailMissing" | "codeMissing";
};

const PASSWORD_MIN = 8;

/**
 * The first validation error in the order of A135 to A138, or null. Checks only what those require of the form; the server
 * validates everything else, such as the maximum password length.
 */
export function checkRegistration(draft: RegisterDraft, withEmail: boolean): Problem | null {
  if (draft.password.length < PASSWORD_MIN) return { field: "password", message: "passwordTooShort" };
  if (draft.password !== draft.password2) return { field: "password2", message: "passwordMismatch" };
  if (draft.username.trim() === "") return { field: "username", message: "usernameMissing" };
  if (withEmail && draft.email.trim() === "") return { field: "email", message: "emailMissing" };
  if (withEmail && draft.code.trim() === "") return { field: "code", message: "codeMissing" };
  return null;
}
