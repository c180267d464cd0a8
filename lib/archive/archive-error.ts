/** Why an archive cannot be written or read, in words for an operator. Has no credentials in it. */
export class ArchiveError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArchiveError";
  }
}
