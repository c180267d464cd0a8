import NextAuth from "next-auth";
import { authOptions } from "@/lib/auth/next-auth";

type Context = { params: Promise<{ nextauth: string[] }> };

/** Options are made for each request: the address and the providers may change while the process runs. */
function handler(request: Request, context: Context): Promise<Response> {
  return NextAuth(request as never, context as never, authOptions(request.headers)) as Promise<Response>;
}

export { handler as GET, handler as POST };
