import { cookies } from "next/headers";
import { TIME_ZONE_COOKIE } from "@/components/shell/cookies";
import { cookiesOf } from "@/lib/request/cookie";

const UNKNOWN = "UTC";

/** The browser's time zone, as it has told in a cookie; UTC before it has. */
export async function getTimeZone(): Promise<string> {
  return (await cookies()).get(TIME_ZONE_COOKIE)?.value ?? UNKNOWN;
}

export function timeZoneOf(request: Request): string {
  return cookiesOf(request)[TIME_ZONE_COOKIE] ?? UNKNOWN;
}
