internal import MartletProgram

Program.main()
