/** All elements of an asynchronous sequence. */
export async function collected<T>(elements: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const element of elements) all.push(element);
  return all;
}
