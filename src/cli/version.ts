/** Version of this program; a test keeps it equal to the package's. */
export const VERSION = '0.1.0';
