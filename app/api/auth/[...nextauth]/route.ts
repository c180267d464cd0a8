import NextAuth from "next-auth";
import { authOptions } from "@/lib/oauth/next-auth";
import { outsideSignIn } from "@/lib/oauth/next-auth-sign-in";

type Context = { params: Promise<{ nextauth: string[] }> };

/** Options are made for each request: the address and the providers may change while the process runs. */
async function handler(request: Request, context: Context): Promise<Response> {
  const options = authOptions(request.headers, await outsideSignIn(request));
  return NextAuth(request as never, context as never, options);
}

export { handler as GET, handler as POST };
