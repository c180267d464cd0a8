import { PrepareFailure } from "../requests/prepare-failure";

/** No token could be had for a key: the token endpoint refused the key, or failed. */
export class TokenFailure extends PrepareFailure {}
