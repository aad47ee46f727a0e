from timbra._native.cadena_python import CadenaProgram as CadenaProgram
