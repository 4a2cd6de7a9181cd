/** A folder in the format of CLoTH: two channels in a line, 0 – 1 – 2, of 1,000,000 msat each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of each file, by name. */
export const CLOTH: Readonly<Record<string, string>> = {
  'cloth_input.txt':
    'generate_network_from_file=true\nnodes_filename=nodes.csv\nchannels_filename=channels.csv\n' +
    'edges_filename=edges.csv\ngenerate_payments_from_file=true\npayments_filename=payments.csv\nmpp=0\n' +
    'faulty_node_probability=0.0\n',
  'nodes.csv': 'id\n0\n1\n2\n',
  'channels.csv': 'id,edge1,edge2,node1,node2,capacity\n0,0,1,0,1,1000000\n1,2,3,1,2,1000000\n',
  'edges.csv':
    'id,channel,counter,from,to,balance,base,prop,min,timelock\n' +
    '0,0,1,0,1,600000,1000,1,1,40\n1,0,0,1,0,400000,1000,1,1,40\n' +
    '2,1,3,1,2,700000,1000,100,1,40\n3,1,2,2,1,300000,1000,1,1,40\n',
  'payments.csv': 'id,sender,receiver,amount,start\n0,0,2,100000,5\n1,2,0,350000,9\n',
};

/** Writes the folder. @param changes texts of files that differ from `CLOTH` */
export function writeCloth(folder: string, changes: Readonly<Record<string, string>> = {}): string {
  mkdirSync(folder);
  for (const [file, text] of Object.entries({ ...CLOTH, ...changes }))
    writeFileSync(join(folder, file), text);
  return folder;
}
